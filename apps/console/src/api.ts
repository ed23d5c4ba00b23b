// How the console talks to the server: a typed tRPC client, and the queries that are made of it.
import type { AppRouter } from '@muster/areas/app-router.ts'
import {
  createTRPCClient,
  httpLink,
  httpSubscriptionLink,
  splitLink,
  type TRPCClient,
  TRPCClientError,
  type TRPCLink,
} from '@trpc/client'
import { observable } from '@trpc/server/observable'
import { EventSource } from 'eventsource'
import { accessToken, renew } from './session/credential.ts'
import { askForProof, wantedBy } from './session/proof.ts'

export type Api = TRPCClient<AppRouter>
/** An error as the server said it. */
export type ApiError = TRPCClientError<AppRouter>
export const isApiError = (error: unknown): error is ApiError => error instanceof TRPCClientError
/** The HTTP status of an error; undefined when there was no answer. */
export const statusOf = (error: unknown): number | undefined =>
  isApiError(error) ? (error.data?.httpStatus ?? undefined) : undefined

/** What kind of error the server said it is, such as `DEVICE_OFFLINE`. */
export const codeOf = (error: unknown): string | undefined => (isApiError(error) ? error.data?.appCode : undefined)

interface Issue {
  readonly path: string
  readonly message: string
}
const isIssue = (value: unknown): value is Issue =>
  typeof value === 'object' &&
  value !== null &&
  'path' in value &&
  'message' in value &&
  typeof value.path === 'string' &&
  typeof value.message === 'string'

/** The fields of the request that the server refused, each with what is wrong with it. */
export const issuesOf = (error: unknown): readonly Issue[] => {
  if (!isApiError(error) || !error.data) return []
  const issues: unknown = 'issues' in error.data ? error.data.issues : []
  if (Array.isArray(issues) && issues.length > 0) return issues.filter(isIssue)
  // A conflict has no list, and its message names the field.
  const [, path, message] = /^([a-z]\w*(?:\.[\w-]+)+): (.+)$/su.exec(error.message) ?? []
  return path === undefined || message === undefined ? [] : [{ path, message }]
}

/** The id under which the server logged a failure; undefined when it knows the reason. */
export const requestIdOf = (error: unknown): string | undefined => {
  const id: unknown = isApiError(error) && error.data && 'requestId' in error.data ? error.data.requestId : undefined
  return typeof id === 'string' ? id : undefined
}

/** Asks once more with a new token when the server no longer takes the one that was sent. */
const renewing: TRPCLink<AppRouter> =
  () =>
  ({ op, next }) =>
    observable((observer) => {
      let stopped = false
      const attempt = (isSecond: boolean): { unsubscribe(): void } =>
        next(op).subscribe({
          next: (value) => observer.next(value),
          complete: () => observer.complete(),
          error(error) {
            if (isSecond || error.data?.httpStatus !== 401) return observer.error(error)
            const sent: unknown = op.context.token
            renew(typeof sent === 'string' ? sent : null).then(
              (renewed) => {
                if (stopped) return
                if (renewed === null) observer.error(error)
                else running = attempt(true)
              },
              () => observer.error(error),
            )
          },
        })
      let running = attempt(false)
      return () => {
        stopped = true
        running.unsubscribe()
      }
    })

/** The request that gives the proof is refused in the dialog itself. */
const proving = 'auth.sessions.confirm'

/** Asks the person for what the server wants to be shown, and makes the request once more. */
const confirming: TRPCLink<AppRouter> =
  () =>
  ({ op, next }) =>
    observable((observer) => {
      let stopped = false
      const attempt = (): { unsubscribe(): void } =>
        next(op).subscribe({
          next: (value) => observer.next(value),
          complete: () => observer.complete(),
          error(error) {
            const wanted = op.path === proving ? null : wantedBy(error.data)
            if (wanted === null) return observer.error(error)
            void askForProof(wanted).then((isProved) => {
              if (stopped) return
              if (isProved) running = attempt()
              else observer.error(error)
            })
          },
        })
      let running = attempt()
      return () => {
        stopped = true
        running.unsubscribe()
      }
    })

/** `fetch` as the signed-in person, for what is no procedure: streams and files. */
export const withToken = async (input: string | URL, init: RequestInit) => {
  const token = await accessToken()
  const send = () =>
    fetch(input, { ...init, headers: { ...init.headers, ...(token && { authorization: `Bearer ${token}` }) } })
  const answer = await send()
  if (answer.status !== 403) return answer
  const wanted = wantedBy(
    await answer
      .clone()
      .json()
      .catch(() => null),
  )
  return wanted !== null && (await askForProof(wanted)) ? send() : answer
}

export const api: Api = createTRPCClient<AppRouter>({
  links: [
    splitLink({
      condition: ({ type }) => type === 'subscription',
      true: httpSubscriptionLink({ url: '/trpc', EventSource, eventSourceOptions: () => ({ fetch: withToken }) }),
      false: [
        confirming,
        renewing,
        // One request each: a slow answer holds up no other, and each can be canceled alone.
        httpLink({
          url: '/trpc',
          async headers({ op }) {
            const token = await accessToken()
            op.context.token = token
            return token === null ? {} : { authorization: `Bearer ${token}` }
          },
        }),
      ],
    }),
  ],
})

interface Question<In, Out> {
  query(input: In, options?: { signal?: AbortSignal }): Promise<Out>
}
/** Chooses a question: `(api) => api.devices.devices.get`. */
export type Choose<In, Out> = (api: Api) => Question<In, Out>

/** Its name in query keys, such as `devices.devices.get`, read off the chooser. */
export function nameOf(choose: (api: Api) => unknown): string {
  const names: string[] = []
  const recorder: unknown = new Proxy(
    {},
    {
      get(_target, name, self) {
        names.push(String(name))
        return self
      },
    },
  )
  choose(recorder as Api)
  return names.join('.')
}

/** Key and function of a query. The key begins with the scope, so that no answer is ever shown in another. */
export function question<In, Out>(scope: string, choose: Choose<In, Out>, input: In) {
  return {
    queryKey: [scope, nameOf(choose), input] as const,
    queryFn: ({ signal }: { signal: AbortSignal }) => choose(api).query(input, { signal }),
  }
}
