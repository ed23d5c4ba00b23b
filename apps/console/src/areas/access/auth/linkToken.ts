/** The token of a link from a mail. It stands behind the `#`, so that it reaches no server's log. */
export const linkToken = (): string => new URLSearchParams(window.location.hash.slice(1)).get('token') ?? ''
