/** The token of a link from an email. It follows the `#`, so that no server logs it. */
export const linkToken = (): string => new URLSearchParams(window.location.hash.slice(1)).get('token') ?? ''
