import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { reasonOf, StackError } from './failure.ts'

const Created = z.looseObject({ id: z.uuid() })
const Page = z.looseObject({
  data: z.array(z.looseObject({ id: z.uuid(), slug: z.string().optional(), name: z.string() })),
})
const Problem = z.looseObject({ message: z.string() })
const Sessions = z.object({ data: z.array(z.looseObject({ id: z.uuid(), current: z.boolean() })) })
const requestMs = 15_000
const keyLifeMs = 60 * 60_000

/** The REST API in a session of one user. */
export interface Session {
  get<T>(path: string, answer: z.ZodType<T>): Promise<T>
  post<T>(path: string, body: object, answer: z.ZodType<T>): Promise<T>
  patch<T>(path: string, body: object, answer: z.ZodType<T>): Promise<T>
  /** Ends the session. */
  end(): Promise<void>
}

/** The session of an access token. */
export function sessionOf(adminUrl: string, token: string): Session {
  const as = (method: string, path: string, body?: object) =>
    request(`${adminUrl}/api/v1${path}`, { method, body, token })
  const get: Session['get'] = async (path, schema) => expect(await as('GET', path), `GET ${path}`, schema)
  return {
    get,
    post: async (path, body, schema) => expect(await as('POST', path, body), `POST ${path}`, schema),
    patch: async (path, body, schema) => expect(await as('PATCH', path, body), `PATCH ${path}`, schema),
    async end() {
      const { data } = await get('/auth/sessions', Sessions)
      const id = data.find(({ current }) => current)?.id
      expect(await as('DELETE', `/auth/sessions/${id}`), 'DELETE /auth/sessions', z.looseObject({}))
    },
  }
}

/** Whether it is the password of that account. */
export async function isPassword(adminUrl: string, email: string, password: string): Promise<boolean> {
  const url = `${adminUrl}/api/v1/auth/login`
  const { status, body } = await request(url, { method: 'POST', body: { email, password } })
  const opened = z.looseObject({ accessToken: z.string() }).safeParse(body)
  if (opened.success)
    await sessionOf(adminUrl, opened.data.accessToken)
      .end()
      .catch(() => undefined)
  return status === 200
}

/** Whether an agent's data folder holds an enrolled identity. */
export function isEnrolled(agentFolder: string): boolean {
  return existsSync(join(agentFolder, 'enrolment.json'))
}

/** Creates an organization and site for this machine through the REST API. @returns an enrollment key for one use */
export async function makeEnrollmentKey(session: Session, agentFolder: string): Promise<string> {
  await mkdir(agentFolder, { recursive: true, mode: 0o700 })
  const named = { name: 'Local', slug: 'local' }
  const partners = await session.get('/orgs/partners?limit=100', Page)
  const partnerId =
    partners.data.find(({ slug }) => slug === named.slug)?.id ??
    (await session.post('/orgs/partners', { ...named, type: 'internal', status: 'active' }, Created)).id
  const organizations = await session.get(`/orgs/organizations?partnerId=${partnerId}&limit=100`, Page)
  const orgId =
    organizations.data.find(({ slug }) => slug === named.slug)?.id ??
    (await session.post('/orgs/organizations', { ...named, partnerId }, Created)).id
  const sites = await session.get(`/orgs/sites?orgId=${orgId}&limit=100`, Page)
  const siteId =
    sites.data.find(({ name }) => name === named.name)?.id ??
    (await session.post('/orgs/sites', { name: named.name, orgId }, Created)).id
  const expiresAt = new Date(Date.now() + keyLifeMs).toISOString()
  const wanted = { name: `This machine (${hostname()})`, orgId, siteId, maxUsage: 1, expiresAt }
  return (await session.post('/enrollment-keys', wanted, z.looseObject({ key: z.string() }))).key
}

interface Answer {
  readonly status: number
  readonly body: unknown
}

async function request(
  url: string,
  options: { method: string; body?: object | undefined; token?: string },
): Promise<Answer> {
  try {
    const response = await fetch(url, {
      method: options.method,
      headers: {
        accept: 'application/json',
        ...(options.body && { 'content-type': 'application/json' }),
        ...(options.token && { authorization: `Bearer ${options.token}` }),
      },
      ...(options.body && { body: JSON.stringify(options.body) }),
      signal: AbortSignal.timeout(requestMs),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  } catch (error) {
    throw new StackError(`${options.method} ${url} failed: ${reasonOf(error)}`)
  }
}

function expect<T>({ status, body }: Answer, what: string, schema: z.ZodType<T>): T {
  if (status >= 400) {
    const problem = Problem.safeParse(body)
    throw new StackError(`${what} answered ${status}${problem.success ? `: ${problem.data.message}` : ''}`)
  }
  const parsed = schema.safeParse(body)
  if (!parsed.success) throw new StackError(`${what} returned an unexpected response`)
  return parsed.data
}
