import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The path itself is a secret: logs show the declared path instead. */
    readonly hidesPath?: boolean
  }
}

/** The path of a request as logs may show it: without the query, and as declared where the path is a secret. */
export function loggedPath({ url, routeOptions }: FastifyRequest): string | undefined {
  return routeOptions.config.hidesPath === true ? routeOptions.url : url.split('?')[0]
}
