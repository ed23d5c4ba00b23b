// Many users of one server: sign-ins at a fixed rate, independent of the answers, or a fixed number in flight. Each comes
// from its own address, as through a proxy. The process runs at low priority, so that the server is measured beside it
// and not this generator.
import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { setPriority } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'

export interface SignInOrders {
  readonly url: string
  readonly seconds: number
  /** Sign-ins per second; or instead … */
  readonly perSecond?: number
  /** … how many are in flight at any time. */
  readonly atOnce?: number
  readonly people: readonly { readonly email: string; readonly password: string }[]
  /** Shares of all sign-ins: with an unknown email, and with a wrong password. */
  readonly unknownShare: number
  readonly wrongShare: number
}
export interface SignIn {
  /** 0 without an answer within ten seconds. */
  readonly status: number
  readonly ms: number
}

const timeoutMs = 10_000
const agent = new Agent({ keepAlive: true, maxSockets: 2_000 })

function signIn(url: string, email: string, password: string): Promise<SignIn> {
  const began = performance.now()
  const octet = () => randomInt(1, 255)
  return new Promise((resolve) => {
    const done = (status: number) => resolve({ status, ms: performance.now() - began })
    const asked = request(`${url}/api/v1/auth/login`, {
      method: 'POST',
      agent,
      timeout: timeoutMs,
      headers: { 'content-type': 'application/json', 'x-forwarded-for': `10.${octet()}.${octet()}.${octet()}` },
    })
    asked.on('response', (answer) => {
      answer.resume()
      answer.on('end', () => done(answer.statusCode ?? 0))
    })
    asked.on('timeout', () => asked.destroy())
    asked.on('error', () => done(0))
    asked.end(JSON.stringify({ email, password }))
  })
}

const isAmong = (share: number, nth: number) => Math.floor(nth * share) !== Math.floor((nth - 1) * share)

function attempt({ url, people, unknownShare, wrongShare }: SignInOrders, nth: number): Promise<SignIn> {
  const who = people[nth % people.length] ?? { email: '', password: '' }
  const email = isAmong(unknownShare, nth) ? `unknown-${randomBytes(6).toString('hex')}@example.test` : who.email
  return signIn(url, email, isAmong(wrongShare, nth) ? 'wrong' : who.password)
}

async function atRate(orders: SignInOrders, perSecond: number): Promise<SignIn[]> {
  const asked: Promise<SignIn>[] = []
  const began = performance.now()
  for (let nth = 0; nth < perSecond * orders.seconds; nth++) {
    asked.push(attempt(orders, nth))
    const ahead = (nth / perSecond) * 1000 - (performance.now() - began)
    if (ahead > 1) await pause(ahead)
  }
  return Promise.all(asked)
}

async function atOnce(orders: SignInOrders, count: number): Promise<SignIn[]> {
  const done: SignIn[] = []
  const end = performance.now() + orders.seconds * 1000
  let nth = 0
  const one = async () => {
    while (performance.now() < end) done.push(await attempt(orders, nth++))
  }
  await Promise.all(Array.from({ length: count }, one))
  return done
}

setPriority(10)
process.on('disconnect', () => process.exit(0))
while (true) {
  const [orders]: SignInOrders[] = await once(process, 'message')
  if (orders === undefined) break
  const done =
    orders.perSecond === undefined ? await atOnce(orders, orders.atOnce ?? 1) : await atRate(orders, orders.perSecond)
  process.send?.(done)
}
