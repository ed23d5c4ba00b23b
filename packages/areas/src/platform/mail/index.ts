// The functions of mail that other areas may use.
export { enqueueMail, sealedLink } from './outbox.ts'
