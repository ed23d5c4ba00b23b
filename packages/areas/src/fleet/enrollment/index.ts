// What other areas may use of enrollment.
export { signDeviceCertificate } from './certificates.ts'
