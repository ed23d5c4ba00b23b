import { anyone, auditedWhen, nameText, people, post, signedIn, success, unaudited } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { done } from './password.contract.ts'

const person = {
  email: z.email().max(255),
  password: z.string().min(1).max(1024),
  name: nameText(),
}
const company = nameText()

export const registration = {
  register: post('/auth/register', {
    summary: 'Register an account, if the server allows it',
    access: anyone,
    audit: auditedWhen('the email address had no account', 'user.register'),
    input: z.object(person),
    output: done,
    transaction: 'own',
  }),
  registerPartner: post('/auth/register-partner', {
    summary: 'Register a partner with its first administrator. The partner waits for approval',
    access: anyone,
    audit: auditedWhen('the email address had no account', 'partner.register', 'user.register'),
    input: z
      .object({ ...person, companyName: company.optional(), partnerName: company.optional() })
      .refine((input) => (input.companyName ?? input.partnerName) !== undefined, {
        error: 'Required',
        path: ['companyName'],
      }),
    output: done,
    transaction: 'own',
  }),
  verifyEmail: post('/auth/verify-email', {
    summary:
      'Verify an email address with an emailed link. Without the password of the registration, that password stops working',
    access: anyone,
    audit: ['user.email.verify', 'partner.update'],
    input: z.object({ token: z.string().min(1).max(512), password: z.string().min(1).max(1024).optional() }),
    /** Whether the account has no password now. A reset sets one. */
    output: success.extend({ passwordRequired: z.boolean() }),
    transaction: 'own',
  }),
  resendVerification: post('/auth/resend-verification', {
    summary: 'Resend the verification email to your address',
    access: signedIn({ kinds: people, beforeVerified: true, beforeMfa: true, beforeActive: true }),
    audit: unaudited('nothing changes until the link is used'),
    input: z.object({}),
    output: success,
    transaction: 'own',
  }),
}
