import type { OutgoingSettings } from '@muster/areas/platform/deliveries/settings.ts'

/** Tests have their receivers on this machine, and no mail server unless they start one. */
export const outgoingForTests: OutgoingSettings = {
  allowedNetworks: ['127.0.0.0/8'],
  pagerDutyUrl: 'http://127.0.0.1:9',
  smtpUrl: null,
  mailFrom: 'Muster <muster@example.test>',
  sms: null,
  keepsUnsent: false,
}
