// The functions of single sign-on that other areas may use.
export { providerOfScimToken, type ScimProvider } from './scim-tokens.ts'
