/** Tables with several writers. The list only shrinks. */
export const writerExceptions: Readonly<Record<string, readonly string[]>> = {
  api_keys: ['access/api-keys', 'access/auth'],
  users: ['access/auth', 'access/users'],
}
