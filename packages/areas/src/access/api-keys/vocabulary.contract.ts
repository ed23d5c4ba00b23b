/** The callers of this area. */
export const callerKinds = ['api-key'] as const

/** What records of this area's changes are called in the audit log. */
export const actions = ['api_key.create', 'api_key.update', 'api_key.rotate', 'api_key.revoke'] as const
