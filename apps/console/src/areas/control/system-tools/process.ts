import type { Api } from '../../../api.ts'

type List = Awaited<ReturnType<Api['systemTools']['processes']['list']['query']>>
/** A process as the device reports it. */
export type Process = List['processes'][number]
