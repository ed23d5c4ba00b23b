import { anyone, ask, create, id, nameText } from '@muster/kit/contract.ts'
import { PublicKey } from '@muster/wire/public-key.ts'
import { z } from 'zod'

const text = (most: number) =>
  z
    .string()
    .trim()
    .max(most)
    .refine((given) => !/\p{Cc}/u.test(given), { error: 'must not contain control characters' })

/** The public keys that sign orders, and the number of the statement that names them. */
const orderKeys = z.object({ serial: z.int(), keys: z.array(z.string()) })

export const agents = {
  enroll: create('/agents/enroll', {
    summary: 'Enroll a machine with an enrollment key in the body or in the X-Enrollment-Key header',
    access: anyone,
    audit: ['device.enroll', 'device.possible_duplicate'],
    transaction: 'own',
    bodyBytesMax: 16_384,
    input: z.object({
      enrollmentKey: z.string().max(200).optional(),
      hostname: nameText(),
      osType: z.enum(['linux', 'windows', 'macos']),
      osName: text(255).optional(),
      osVersion: text(255).optional(),
      architecture: text(32).min(1),
      agentVersion: text(64).min(1),
      /** Tells machines apart whose names are equal. */
      machineId: text(128).min(1).optional(),
      publicKey: PublicKey,
      /** Of a machine that enrols anew with another key: proof that it holds the one before, so that it stays the same device. */
      previous: z.object({ deviceId: id(), signature: z.string().regex(/^[A-Za-z0-9_-]{86}$/) }).optional(),
    }),
    output: z.object({
      deviceId: id(),
      /** Proves the device to ingest, together with its private key. */
      certificate: z.string(),
      ingestUrl: z.string(),
      orgId: id(),
      siteId: id().nullable(),
      /** The agent obeys orders of these keys alone. */
      orderKeys,
    }),
  }),
  orderKeys: ask('/agents/order-keys', {
    summary: 'Get the public keys that verify orders, and the server time',
    access: anyone,
    bodyBytesMax: 16_384,
    refuses: [401],
    input: z.object({ certificate: z.string().min(1).max(4096) }),
    output: orderKeys.extend({
      /** How the keys came to be those, oldest first; each is signed by a key of the one before. */
      statements: z.array(orderKeys.extend({ by: z.string(), signature: z.string() })),
      /** Milliseconds since 1970. */
      serverTime: z.number(),
    }),
  }),
}
