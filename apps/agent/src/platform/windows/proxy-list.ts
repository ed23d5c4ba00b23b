/*
 * The lists of WinHTTP and of the Internet settings. Proxies: `proxy:8080`, or one for each scheme as in `http=a:80;https=b:443`.
 * Exceptions: names and addresses with `*`, and `<local>` for names without a dot.
 */

const parts = (list: string): string[] => list.split(/[\s;]+/).filter((part) => part !== '')

/** The addresses of the proxies for a scheme such as `https`, in their order. */
export function proxiesIn(list: string, scheme: string): string[] {
  return parts(list).flatMap((part) => {
    const [, kind, address = ''] = /^(?:([a-z]+)=)?(.+)$/i.exec(part) ?? []
    if (kind !== undefined && kind.toLowerCase() !== scheme) return []
    const text = address.includes('://') ? address : `http://${address}`
    return URL.canParse(text) && /^https?:/.test(text) ? [text] : []
  })
}

/** Whether a list of exceptions names a host. */
export function isBypassed(list: string, host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '')
  return parts(list.toLowerCase()).some((part) => {
    if (part === '<local>') return !/[.:]/.test(name)
    const pattern = part.replace(/^[a-z]+:\/\//, '').replace(/^\[|\]$/g, '')
    const escaped = pattern.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')
    return new RegExp(`^${escaped.replaceAll('*', '.*')}$`).test(name)
  })
}
