// What other areas may use of secrets.
export { type SecretIds, secretsIn, secretsOfDevices } from './found-secrets.ts'
export { sealedValues } from './sealed-values.ts'
