// Email domains are compared in one form: ASCII in lower case, international names in punycode. What does not come out of
// the conversion as a plain host name is no domain, so look-alikes and hidden characters never equal an allowed one.

const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** The domain in the form in which it is compared; null when the text is not a domain. */
export function asciiDomain(text: string): string | null {
  // The conversion of a URL also decodes, strips and reinterprets: nothing that could trigger that may be in the text.
  if (text === '' || text.length > 253 || /[\s\p{C}%@:/?#\\[\]]/u.test(text)) return null
  // Full stops of other scripts would move the border between labels.
  if (/[\u3002\uFF0E\uFF61]/.test(text)) return null
  let ascii: string
  try {
    ascii = new URL(`http://${text}/`).hostname
  } catch {
    return null
  }
  const labels = ascii.split('.')
  const isName = labels.length >= 2 && labels.every((each) => label.test(each)) && !/^\d+$/.test(labels.at(-1) ?? '')
  return isName ? ascii : null
}

/**
 * Domains as they are stored: each in its compared form, once.
 * @returns null when one of them is not a domain
 */
export function storedDomains(text: string): string | null {
  const given = text
    .split(',')
    .map((part) => part.trim().replace(/^@/, ''))
    .filter((part) => part !== '')
  const domains = given.map(asciiDomain)
  return domains.includes(null) ? null : [...new Set(domains)].join(',')
}

/** The part behind the last @ in its compared form; null for what is not an email address. */
export function domainOfEmail(email: string): string | null {
  const parts = email.split('@')
  const [local = '', domain = ''] = parts
  if (parts.length !== 2 || local === '' || /[\s\p{C}"<>,;]/u.test(local)) return null
  return asciiDomain(domain)
}

/** May somebody with this address come in? Only the exact domains count, not what lies beneath them. An empty list allows all. */
export function isAllowed(email: string, stored: string): boolean {
  const domain = domainOfEmail(email)
  return domain !== null && (stored === '' || stored.split(',').includes(domain))
}
