import { get } from 'node:http';

/** Reads a stream that does not end by itself until it holds what `enough` looks for, then hangs up. @returns status, headers and text as they came */
export function readStream(
  url: string,
  headers: Readonly<Record<string, string>>,
  enough: (text: string) => boolean,
  timeoutMs = 20_000,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get(url, { headers, agent: false }, (response) => {
      const head = `${response.statusCode} ${response.statusMessage}\n${response.rawHeaders.join('\n')}\n`;
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        if (!enough(text)) return;
        clearTimeout(timer);
        resolve(head + text);
        request.destroy();
      });
    });
    const timer = setTimeout(() => request.destroy(new Error('the stream did not say it in time')), timeoutMs);
    request.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
  });
}
