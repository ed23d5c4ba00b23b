/** Keys on which Windows depends, with their hive. A user's own are the same in HKEY_CURRENT_USER and in HKEY_USERS. */
const essential: readonly RegExp[] = [
  /^HKEY_LOCAL_MACHINE\\(SAM|SECURITY|BCD\d+)\\/i,
  /^HKEY_LOCAL_MACHINE\\SYSTEM\\[^\\]+$/i,
  /^HKEY_LOCAL_MACHINE\\SYSTEM\\(Current)?ControlSet\d*\\([^\\]+|Control\\[^\\]+)$/i,
  /^HKEY_(LOCAL_MACHINE|CURRENT_USER)\\SOFTWARE\\(WOW6432Node\\)?(Microsoft|Classes|Clients|Policies|WOW6432Node)$/i,
  /^HKEY_(LOCAL_MACHINE|CURRENT_USER)\\SOFTWARE\\(WOW6432Node\\)?Microsoft\\Windows( NT)?(\\CurrentVersion)?$/i,
]

/** Why a key cannot be deleted, after the word `path`; undefined if it can. */
export function undeletable(hive: string, path: string): string | undefined {
  // The first name in HKEY_USERS is a user, whose hive begins below it.
  const place = hive === 'HKEY_USERS' ? path.replace(/^[^\\]+/, 'HKEY_CURRENT_USER') : `${hive}\\${path}`
  if (!/\\.*\\/.test(place))
    return 'must be below a first-level key, such as SOFTWARE\\Vendor. First-level keys of a hive cannot be deleted'
  if (essential.some((key) => key.test(place))) return 'is a key that Windows depends on, which cannot be deleted'
  return undefined
}
