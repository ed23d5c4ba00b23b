// The functions of SMS that other areas may use.
export { sendSms } from './gateway.ts'
export { devSmsKey, keepSms } from './outbox.ts'
export { type SmsSettings, smsFrom, smsSettings } from './settings.ts'
