import { BlockList, isIP } from 'node:net';

export interface AddressRules {
  /** Networks that may post; empty allows all. */
  readonly allowFrom: readonly string[];
  /** Networks whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
}

/** Whether a request may post, by where it comes from. */
export type JudgeAddress = (socketAddress: string | undefined, forwardedFor: string | undefined) => boolean;

/**
 * Makes the judge of `receiver.allowFrom`. The client is the socket's address or, when that is a trusted proxy, the
 * right-most address of X-Forwarded-For that is not one: what stands further left, the client wrote itself. A list that a
 * trusted proxy sends and that holds anything but addresses up to there is not believed at all.
 * @param rules networks as the config takes them, `ADDRESS` or `ADDRESS/BITS`
 */
export function createAddressJudge(rules: AddressRules): JudgeAddress {
  if (rules.allowFrom.length === 0) return () => true;
  const allowed = toBlockList(rules.allowFrom);
  const trusted = toBlockList(rules.trustedProxies);
  return (socketAddress, forwardedFor) => {
    const client = findClient(trusted, socketAddress, forwardedFor);
    return client !== null && contains(allowed, client);
  };
}

/** The address of the client, or null when nobody who is believed says what it is. */
function findClient(trusted: BlockList, socket: string | undefined, forwardedFor: string | undefined): string | null {
  let address = toAddress(socket ?? '');
  const hops = forwardedFor === undefined ? [] : forwardedFor.split(',');
  while (address !== null && contains(trusted, address)) {
    const hop = hops.pop();
    // A proxy itself that forwards for nobody, such as its own health check, is the client.
    if (hop === undefined) return address;
    address = toAddress(hop.trim());
  }
  return address;
}

/** An IPv4 address that a dual-stack socket shows as IPv6 is an IPv4 address; a zone is no part of an address. */
function toAddress(text: string): string | null {
  const address = text.replace(/^::ffff:(?=\d+\.)/i, '').replace(/^(fe80:[^%]*)%\w+$/i, '$1');
  return isIP(address) === 0 ? null : address;
}

function toBlockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = familyOf(address);
    list.addSubnet(address, bits === undefined ? WHOLE[family] : Number(bits), family);
  }
  return list;
}

const WHOLE = { ipv4: 32, ipv6: 128 } as const;

function contains(list: BlockList, address: string): boolean {
  return list.check(address, familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}
