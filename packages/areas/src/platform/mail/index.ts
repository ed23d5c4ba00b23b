// The functions of mail that other areas may use.
export { enqueueMail, sealedLink } from './outbox.ts'
export { mailSettings } from './settings.ts'
export { createMailTransport, type MailTransport, sendMail } from './transport.ts'
