/** What XML 1.0 cannot hold at all, not even escaped (XML 1.0 §2.2), and lone surrogates, which no encoding can. */
const NOT_XML = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;
/** Escaped everywhere, so that a text may stand in an element and in either kind of quotes. A bare CR would be read as LF. */
const SPECIAL: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '\r': '&#13;',
};

export interface XmlElement {
  readonly name: string;
  readonly attributes?: Readonly<Record<string, string>>;
  /** Text, or elements; none makes an empty element. */
  readonly content?: string | readonly XmlElement[];
}

/** An XML document. Names are ours; every value is escaped here and nowhere else, without what XML cannot hold. */
export function toXml(root: XmlElement): string {
  return `<?xml version="1.0" encoding="utf-8"?>\n${writeElement(root)}\n`;
}

function writeElement({ name, attributes = {}, content }: XmlElement): string {
  const pairs = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(value)}"`);
  const open = `<${name}${pairs.join('')}`;
  if (content === undefined) return `${open}/>`;
  return `${open}>${typeof content === 'string' ? escapeXml(content) : content.map(writeElement).join('')}</${name}>`;
}

function escapeXml(text: string): string {
  return text.replaceAll(NOT_XML, '').replaceAll(/[&<>"'\r]/g, (character) => SPECIAL[character] ?? '');
}
