import { post, success, unaudited } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { enrolling } from './mfa.contract.ts'

/** A phone number with its country code, in E.164 form. */
const phoneNumber = z
  .string()
  .trim()
  .regex(/^\+[1-9]\d{6,14}$/, { error: 'must be a number in E.164 form, such as +4930123456' })

export const phone = {
  verify: post('/auth/phone/verify', {
    summary: 'Send a verification code to a phone number',
    access: enrolling,
    audit: unaudited('nothing changes until the code is confirmed'),
    stepUp: 'always',
    input: z.object({ phoneNumber }),
    output: z.object({ success: z.literal(true), expiresIn: z.number() }),
    transaction: 'own',
  }),
  confirm: post('/auth/phone/confirm', {
    summary: 'Confirm a phone number with its verification code',
    access: enrolling,
    audit: 'auth.phone.verify',
    input: z.object({
      code: z
        .string()
        .trim()
        .regex(/^\d{6}$/, { error: 'must be the six digits from the SMS' }),
    }),
    output: success.extend({ phoneNumber: z.string() }),
    transaction: 'own',
  }),
}
