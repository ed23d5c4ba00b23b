// The administrator of a complete Muster, seen from outside: through REST and tRPC.

import { randomBytes } from 'node:crypto'
import type { AppRouter } from '@muster/areas/app-router.ts'
import { type OperatorAccess, operatorSession } from '@muster/stack/operator-session.ts'
import type { Stack } from '@muster/stack/stack.ts'
import type { ResponseBody } from '@muster/testkit/response-body.ts'
import { createTRPCClient, httpLink, httpSubscriptionLink, splitLink } from '@trpc/client'
import { EventSource } from 'eventsource'
import { eventually } from './eventually.ts'

export const email = 'admin@example.test'

/** Where a complete Muster is found, also from another process. */
export interface Whereabouts {
  readonly urls: Pick<Stack['urls'], 'admin' | 'ingest'>
  readonly stores: OperatorAccess & {
    readonly urls: { readonly owner: string }
    readonly folder: { readonly path: string }
  }
}

export class Administrator {
  readonly stack: Whereabouts
  #token = ''

  constructor(stack: Whereabouts) {
    this.stack = stack
  }

  /** Opens another session for the administrator's requests: one ends after 15 minutes. */
  async renew(): Promise<void> {
    this.#token = await operatorSession(this.stack.stores, email)
  }

  /** The headers of an administrator's request. */
  get headers(): Record<string, string> {
    return { authorization: `Bearer ${this.#token}` }
  }

  /** One REST call of the administrator. @returns status and body */
  async rest(method: string, path: string, body?: object): Promise<{ status: number; body: ResponseBody }> {
    const answer = await fetch(`${this.stack.urls.admin}/api/v1${path}`, {
      method,
      headers: { ...this.headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: await answer.json() }
  }

  /** One REST call of the administrator that sends or receives bytes. */
  bytes(method: string, path: string, body?: Uint8Array, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${this.stack.urls.admin}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body && { 'content-type': 'application/octet-stream' }),
        ...headers,
      },
      ...(body && { body: Buffer.from(body) }),
    })
  }

  async must(method: string, path: string, body?: object): Promise<ResponseBody> {
    const answer = await this.rest(method, path, body)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  /** The typed client of the console, with subscriptions over server-sent events. */
  client() {
    const url = `${this.stack.urls.admin}/trpc`
    const { headers } = this
    const withToken = (input: string | URL, init: RequestInit) =>
      fetch(input, { ...init, headers: { ...init.headers, ...headers } })
    return createTRPCClient<AppRouter>({
      links: [
        splitLink({
          condition: ({ type }) => type === 'subscription',
          true: httpSubscriptionLink({ url, EventSource, eventSourceOptions: () => ({ fetch: withToken }) }),
          false: httpLink({ url, headers }),
        }),
      ],
    })
  }

  /** A partner with an organization, a site and an enrollment key. */
  async tenant() {
    const name = randomBytes(4).toString('hex')
    const partner = await this.must('POST', '/orgs/partners', { name: `Partner ${name}`, slug: `partner-${name}` })
    const org = await this.must('POST', '/orgs/organizations', {
      partnerId: partner.id,
      name: `Org ${name}`,
      slug: `org-${name}`,
    })
    const site = await this.must('POST', '/orgs/sites', { orgId: org.id, name: `Site ${name}` })
    const { key } = await this.must('POST', '/enrollment-keys', {
      orgId: org.id,
      siteId: site.id,
      name: 'Test',
      maxUsage: null,
    })
    return { partner, org, site, key: key as string }
  }

  /** The only device of an organization, once it meets a condition. */
  async device(orgId: string, until: (device: ResponseBody) => boolean, withinMs = 30_000): Promise<ResponseBody> {
    return eventually(async () => {
      const { devices } = await this.must('GET', `/devices?orgIds=${orgId}&limit=10`)
      return devices.find(until)
    }, withinMs)
  }
}
