/** The callers of this area. */
export const callerKinds = ['api-key'] as const

/** The audit actions of this area. */
export const actions = ['api_key.create', 'api_key.update', 'api_key.rotate', 'api_key.revoke'] as const
