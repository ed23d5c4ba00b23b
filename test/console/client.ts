import type { AppRouter } from '@muster/areas/app-router.ts'
import { createTRPCClient, httpLink, type TRPCClient } from '@trpc/client'
import { z } from 'zod'

export type Client = TRPCClient<AppRouter>

/** The console's own kind of client, for what tests prepare and check beside the browser. */
export const clientOf = (url: string, token?: string): Client =>
  createTRPCClient<AppRouter>({
    links: [httpLink({ url: `${url}/trpc`, headers: token ? { authorization: `Bearer ${token}` } : {} })],
  })

/** Signs in a user who has no second factor. */
export async function signIn(url: string, { email, password }: { email: string; password: string }) {
  const answer = await clientOf(url).auth.session.login.mutate({ email, password })
  if (answer.mfaRequired) throw new Error(`${email} has a second factor`)
  return answer
}

const Outbox = z.object({ mails: z.array(z.object({ to: z.string(), url: z.string().nullable() })) })

/** The link of the newest mail to an address. @param outbox the address that a launcher with an outbox prints */
export async function linkMailedTo(outbox: string, address: string): Promise<string> {
  const answer = await fetch(`${outbox}.json`)
  const { mails } = Outbox.parse(await answer.json())
  const link = mails.find(({ to }) => to === address)?.url
  if (!link) throw new Error(`nothing was mailed to ${address}`)
  return link
}
