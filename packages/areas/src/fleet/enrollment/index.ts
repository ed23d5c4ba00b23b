// What other areas and processes may use of enrollment.
export { signDeviceCertificate } from './certificates.ts'
export { deleteKeysOfDevice } from './keys/keys.queries.ts'
export { requireEncryptedAddresses } from './public-addresses.ts'
