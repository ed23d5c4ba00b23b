import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the path is a secret. Logs then show the declared path. */
    readonly hidesPath?: boolean
  }
}

/** The path of a request for logs: without the query, and in its declared form when it is a secret. */
export function loggedPath({ url, routeOptions }: FastifyRequest): string | undefined {
  return routeOptions.config.hidesPath === true ? routeOptions.url : url.split('?')[0]
}
