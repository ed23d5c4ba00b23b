// A member of a partner, seen from outside. Membership and session are made in the database, as a month ago and just now.
import { randomBytes } from 'node:crypto'
import { AccessTokens, opaqueToken } from '@muster/areas/access/auth/sessions/tokens.ts'
import { readKeyring } from '@muster/kit/secrets/keyring.ts'
import type { ResponseBody } from '@muster/testkit/response-body.ts'
import pg from 'pg'
import type { Fleet } from './fleet.ts'

interface Answer {
  readonly status: number
  readonly body: ResponseBody
}

export class Member {
  readonly #admin: string
  readonly #headers: Readonly<Record<string, string>>

  private constructor(admin: string, headers: Readonly<Record<string, string>>) {
    this.#admin = admin
    this.#headers = headers
  }

  /** Another administrator of a partner, who signed in with a second factor. */
  static async join({ stack }: Fleet, partnerId: string): Promise<Member> {
    const owner = new pg.Client({ connectionString: stack.urls.owner })
    await owner.connect()
    try {
      const email = `${randomBytes(6).toString('hex')}@example.test`
      const user = await owner.query<{ id: string }>(
        `INSERT INTO users (email, name, status, mfa_enabled, email_verified_at) VALUES ($1, 'Member', 'active', true, now()) RETURNING id`,
        [email],
      )
      const userId = user.rows[0]?.id ?? ''
      await owner.query(
        `INSERT INTO partner_users (user_id, partner_id, role_id, org_access, org_ids, created_at, accepted_at)
         SELECT $1, $2, id, 'all', '{}', now() - interval '30 days', now() - interval '30 days' FROM roles
         WHERE is_system AND scope = 'partner' AND name = 'Partner Admin'`,
        [userId, partnerId],
      )
      const session = await owner.query<{ id: string }>(
        `INSERT INTO sessions (user_id, token_hash, mfa, expires_at) VALUES ($1, $2, true, now() + interval '1 day') RETURNING id`,
        [userId, opaqueToken()],
      )
      const sessionId = session.rows[0]?.id ?? ''
      const tokens = new AccessTokens(readKeyring(stack.stores.secretFiles.keysFile))
      const token = await tokens.sign({ userId, sessionId, scope: 'partner', partnerId, orgId: null, mfa: true })
      return new Member(stack.urls.admin, { authorization: `Bearer ${token}` })
    } finally {
      await owner.end()
    }
  }

  /** The caller with an API key that has all permissions of the member which it can have. */
  async withKey(scopes: readonly string[]): Promise<Member> {
    const { key } = await this.must('POST', '/api-keys', { name: 'Integration', scopes })
    return new Member(this.#admin, { 'x-api-key': key })
  }

  async rest(method: string, path: string, body?: object): Promise<Answer> {
    const answer = await fetch(`${this.#admin}/api/v1${path}`, {
      method,
      headers: { ...this.#headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: await answer.json() }
  }

  async must(method: string, path: string, body?: object): Promise<ResponseBody> {
    const answer = await this.rest(method, path, body)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
}
