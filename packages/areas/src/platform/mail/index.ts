// What other areas may use of mail.
export { enqueueMail, sealedLink } from './outbox.ts'
