// The functions of API keys that other areas may use.
export { callerOfApiKey, carriesApiKey } from './credential.ts'
export { revokeKeys } from './revocation.ts'
