// Email domains are compared in one form: lower-case ASCII, international names in punycode. A text that does not convert to a
// plain host name is not a domain, so look-alikes and hidden characters never equal an allowed domain.

const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** The domain in its compared form; null when the text is not a domain. */
export function asciiDomain(text: string): string | null {
  // The URL parser also decodes, strips and reinterprets. Reject all characters that could trigger that.
  if (text === '' || text.length > 253 || /[\s\p{C}%@:/?#\\[\]]/u.test(text)) return null
  // Full stops of other scripts would move the boundaries of labels.
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
 * Domains in the stored form: each in its compared form, without duplicates.
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

/** The part behind the last @ in its compared form; null when the text is not an email address. */
export function domainOfEmail(email: string): string | null {
  const parts = email.split('@')
  const [local = '', domain = ''] = parts
  if (parts.length !== 2 || local === '' || /[\s\p{C}"<>,;]/u.test(local)) return null
  return asciiDomain(domain)
}

/** Whether an address is in an allowed domain. Subdomains do not count. An empty list allows all. */
export function isAllowed(email: string, stored: string): boolean {
  const domain = domainOfEmail(email)
  return domain !== null && (stored === '' || stored.split(',').includes(domain))
}
