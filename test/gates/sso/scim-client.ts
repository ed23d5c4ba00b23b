// A SCIM client, as an identity provider has.

import { providers, scimTokens } from '@muster/areas/access/sso/providers/providers.contract.ts'
import { call } from '@muster/testkit/call.ts'
import { ownAddress } from '@muster/testkit/credentials.ts'
import type { ResponseBody } from '@muster/testkit/response-body.ts'
import type { World } from '@muster/testkit/world.ts'
import type { SsoServer } from './sso-server.ts'

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: ResponseBody
}

export class ScimClient {
  readonly #address = ownAddress()
  readonly base: string
  token: string

  constructor(base: string, token: string) {
    this.base = base
    this.token = token
  }

  async ask(method: string, path: string, body?: object): Promise<Answer> {
    const answer = await fetch(`${this.base}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        'x-forwarded-for': this.#address,
        ...(body === undefined ? {} : { 'content-type': 'application/scim+json' }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    const text = await answer.text()
    return { status: answer.status, headers: answer.headers, body: text === '' ? null : JSON.parse(text) }
  }

  find(kind: 'Users' | 'Groups', filter: string, more: Record<string, string> = {}): Promise<Answer> {
    return this.ask('GET', `/${kind}?${new URLSearchParams({ filter, ...more })}`)
  }

  patch(path: string, ...operations: { op: string; path?: string; value?: unknown }[]): Promise<Answer> {
    return this.ask('PATCH', path, {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: operations,
    })
  }
}

/** Adds a provider that provisions the members of the organization. */
export async function provisioning(sso: SsoServer, there: World, more: object = {}) {
  const given = { orgId: there.org.id, name: 'Directory', issuer: 'https://127.0.0.1', clientId: 'x', ...more }
  const { id } = await call(there.partnerAdmin, providers.create, given)
  const { token } = await call(there.partnerAdmin, scimTokens.rotate, { id })
  return { id, scim: new ScimClient(`${sso.url}/scim/v2`, token) }
}
