// What other areas may use of single sign-on.
export { providerOfScimToken, type ScimProvider } from './scim-tokens.ts'
