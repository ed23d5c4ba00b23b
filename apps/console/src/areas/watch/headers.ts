/** Headers from lines `Name: value`. The server rejects names that are not valid. */
export const headersFrom = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => {
        const colon = line.indexOf(':')
        return colon < 0 ? [line.trim(), ''] : [line.slice(0, colon).trim(), line.slice(colon + 1).trim()]
      }),
  )
