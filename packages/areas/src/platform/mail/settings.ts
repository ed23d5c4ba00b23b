import { hasChosenPassword, placeholderPassword } from '@muster/kit/config.ts'
import { z } from 'zod'

/**
 * Turns the outbox on and names it: mail without SMTP_URL and SMS without a gateway are kept to be read at
 * `/dev/outbox/<token>`. For trying and testing; without it there is no such page.
 */
export const outboxToken = () =>
  z
    .string()
    .regex(/^[\w-]{32,}$/, { error: 'should be 32 or more random letters, digits, dashes or underscores' })
    .optional()

/** The settings of whatever process sends mail. */
export const mailSettings = {
  /** Without one, mail waits and counts as stuck, unless OUTBOX_TOKEN is set: then it is read in the outbox. */
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'should look like smtps://user:password@mail.example.com:465' })
    .refine(hasChosenPassword, placeholderPassword)
    .optional(),
  MAIL_FROM: z
    .string()
    .regex(/^([^<>"\r\n]{1,100} <[^<>\s@]+@[^<>\s@]+>|[^<>\s@]+@[^<>\s@]+)$/, {
      error: 'should look like Muster <muster@example.com>',
    })
    .default('Muster <muster@localhost>'),
  OUTBOX_TOKEN: outboxToken(),
}
