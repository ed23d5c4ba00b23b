// What other areas may use of API keys.
export { callerOfApiKey, carriesApiKey } from './credential.ts'
export { revokeKeys } from './revocation.ts'
