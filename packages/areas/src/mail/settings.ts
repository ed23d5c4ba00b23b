import { z } from 'zod'

/** The settings of whatever process sends mail. */
export const mailSettings = {
  /** Without one, mail stays in the outbox: in development that is where it is read, in production it counts as stuck. */
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'should look like smtps://user:password@mail.example.com:465' })
    .optional(),
  MAIL_FROM: z
    .string()
    .regex(/^([^<>"\r\n]{1,100} <[^<>\s@]+@[^<>\s@]+>|[^<>\s@]+@[^<>\s@]+)$/, {
      error: 'should look like Muster <muster@example.com>',
    })
    .default('Muster <muster@localhost>'),
  NODE_ENV: z.enum(['development', 'production', 'test']).default('development'),
}
