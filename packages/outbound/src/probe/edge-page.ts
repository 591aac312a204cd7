/** True for an HTML answer. */
export function isHtml(contentType: string | null): boolean {
  return contentType !== null && /^\s*(text\/html|application\/xhtml\+xml)\b/i.test(contentType);
}

/**
 * True when an HTML page reads like the tunnel edge's own: it says the product's name, which an application behind the
 * tunnel rarely does (its host name, `….localto.net`, does not match).
 */
export function namesTheEdge(body: Buffer): boolean {
  return /localtonet/i.test(body.toString('latin1'));
}

/** True when a page of the edge asks a visitor to click through. Its exact wording is not documented. */
export function isWarningPage(body: Buffer): boolean {
  return (
    namesTheEdge(body) && /\b(warning|skip|continue|proceed|visit|phishing|caution)/i.test(body.toString('latin1'))
  );
}
