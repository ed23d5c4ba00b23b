import { anyone, auditedWhen, people, post, signedIn, success } from '@muster/kit/contract.ts'
import { z } from 'zod'

const given = z.string().min(1).max(1024)
/** The answer to all requests, whether or not the account exists. */
export const done = success.extend({ message: z.string() })

export const password = {
  forgot: post('/auth/forgot-password', {
    summary: 'Request a password reset link by email',
    access: anyone,
    audit: auditedWhen('the account exists', 'auth.password.forgot'),
    input: z.object({ email: z.string().trim().min(1).max(255) }),
    output: done,
    transaction: 'own',
  }),
  reset: post('/auth/reset-password', {
    summary: 'Reset a password with an emailed link. All sessions end',
    access: anyone,
    audit: ['auth.password.reset', 'user.email.verify', 'partner.update'],
    input: z
      .object({ token: z.string().min(1).max(512), newPassword: given.optional(), password: given.optional() })
      .refine((input) => (input.newPassword ?? input.password) !== undefined, {
        error: 'Required',
        path: ['newPassword'],
      }),
    output: success,
    transaction: 'own',
  }),
  change: post('/auth/change-password', {
    summary: 'Change your password. All sessions end',
    access: signedIn({ kinds: people, beforeActive: true }),
    audit: 'auth.password.change',
    stepUp: 'always',
    input: z.object({ currentPassword: given, newPassword: given }),
    output: success,
    transaction: 'own',
  }),
}
