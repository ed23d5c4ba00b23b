// Classes of errors that the data causes. All others (connections, locks, timeouts, missing tables or permissions, a full
// disk) end without a change of the data, so the data waits.
const dataErrors = new Set(['21', '22', '23', '54', 'P0', 'XX'])
const redisStates = /^(LOADING|MISCONF|OOM|READONLY|BUSY|CLUSTERDOWN|TRYAGAIN|NOREPLICAS)/
const connectionFailures =
  /connection|timeout|timed out|terminated|not queryable|closed|max retries|stream isn't writeable/i

/** Whether a store or the connection to it caused the failure, so that a retry may succeed. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (/^[0-9A-Z]{5}$/.test(code)) return !dataErrors.has(code.slice(0, 2))
  return /^E[A-Z]+$/.test(code) || redisStates.test(error.message) || connectionFailures.test(error.message)
}
