// Classes of errors that lie in what was written. Anything else (connections, locks, time-outs, missing tables or
// rights, a full disk) is cured outside the data, and the data has to wait for it.
const dataErrors = new Set(['21', '22', '23', '54', 'P0', 'XX'])
const redisStates = /^(LOADING|MISCONF|OOM|READONLY|BUSY|CLUSTERDOWN|TRYAGAIN|NOREPLICAS)/
const connectionTroubles =
  /connection|timeout|timed out|terminated|not queryable|closed|max retries|stream isn't writeable/i

/** Whether a failure lies with a store or the way to it, so that the same work may well succeed later. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (/^[0-9A-Z]{5}$/.test(code)) return !dataErrors.has(code.slice(0, 2))
  return /^E[A-Z]+$/.test(code) || redisStates.test(error.message) || connectionTroubles.test(error.message)
}
