import type { ListEvents } from '@muster/wire/commands/event-logs.ts'
import type { z } from 'zod'
import { ToolFailure } from '../../../tool-failure.ts'
import { type EventXml, parseEvent, queryOf } from '../event-xml.ts'
import { u32Buffer } from '../native/accounts.ts'
import { winErrors } from '../native/error-codes.ts'
import { failureOfCall, lastCode, lastError, Win32Error } from '../native/errors.ts'
import {
  evtClose,
  evtFormatMessage,
  evtGetLogInfo,
  evtNext,
  evtNextChannel,
  evtOpenChannels,
  evtOpenLog,
  evtOpenPublisher,
  evtQuery,
  evtRender,
} from '../native/events-api.ts'
import type { Handle } from '../native/koffi.ts'
import { msOfFileTime, textAt, wide } from '../native/layout.ts'

const byChannel = 0x1
const newestFirst = 0x200
const asXml = 1
const messageFormat = 1
const eventsPerCall = 32
const nextTimeoutMs = 2_000
/** Events looked at for one request; the next page continues from there. */
const searchedMax = 2_000
const logInfo = { lastWrite: 2, sizeBytes: 3 } as const
const infoTypes = { fileTime: 17 } as const

export interface LogDetail {
  name: string
  sizeBytes: number | null
  modifiedAt: string | null
}

/** The names of all channels. */
export function listChannels(most: number): { names: string[]; truncated: boolean } {
  const channels = evtOpenChannels(0, 0)
  if (Number(channels) === 0) throw failureOfCall(lastError('EvtOpenChannelEnum'), 'event logs')
  try {
    const names: string[] = []
    const path = Buffer.alloc(2_048)
    while (evtNextChannel(channels, path.length / 2, path, u32Buffer()) !== 0) {
      if (names.length === most) return { names, truncated: true }
      names.push(textAt(path, 0))
    }
    return { names, truncated: false }
  } finally {
    evtClose(channels)
  }
}

export function logDetail(name: string): LogDetail {
  const log = evtOpenLog(0, wide(name), byChannel)
  if (Number(log) === 0) throw failureOfCall(lastError('EvtOpenLog'), `Event log ${name}`)
  try {
    const modifiedMs = infoOf(log, logInfo.lastWrite)
    const size = infoOf(log, logInfo.sizeBytes)
    return {
      name,
      sizeBytes: size === undefined ? null : Number(size),
      modifiedAt: modifiedMs === undefined ? null : new Date(msOfFileTime(modifiedMs)).toISOString(),
    }
  } finally {
    evtClose(log)
  }
}

/** One EVT_VARIANT: eight bytes of value, a count and a type. */
function infoOf(log: Handle, what: number): bigint | undefined {
  const variant = Buffer.alloc(16)
  if (evtGetLogInfo(log, what, variant.length, variant, u32Buffer()) === 0) return undefined
  const value = variant.readBigUInt64LE()
  return what === logInfo.lastWrite && variant.readUInt32LE(12) !== infoTypes.fileTime ? undefined : value
}

/** No more events, or the log was cleared meanwhile. */
const endsOfResults: readonly number[] = [winErrors.noMoreItems, winErrors.invalidHandle, winErrors.queryResultStale]

export interface EventPage {
  events: (EventXml & { message: string })[]
  /** Whether there are older ones that were not looked at. */
  hasMore: boolean
}

/** Events below a record number, newest first. A log that is cleared meanwhile ends the page. */
export function readEvents(asked: z.infer<typeof ListEvents>, before: number | null): EventPage {
  const wanted = asked.search?.toLowerCase()
  const events: EventPage['events'] = []
  let looked = 0
  for (const event of eventsOf(asked.name, queryOf(asked, before))) {
    if (events.length >= asked.limit || ++looked > searchedMax) return { events, hasMore: true }
    if (wanted === undefined || event.message.toLowerCase().includes(wanted)) events.push(event)
  }
  return { events, hasMore: false }
}

export function readEvent(name: string, recordId: number): (EventXml & { message: string }) | null {
  const [event] = eventsOf(name, `*[System[EventRecordID=${recordId}]]`)
  return event ?? null
}

function* eventsOf(name: string, query: string): Generator<EventXml & { message: string }> {
  const results = evtQuery(0, wide(name), wide(query), byChannel | newestFirst)
  if (Number(results) === 0) throw failureOfCall(lastError('EvtQuery'), `Event log ${name}`)
  const publishers = new Map<string, Handle>()
  try {
    const handles = Buffer.alloc(8 * eventsPerCall)
    for (;;) {
      const returned = u32Buffer()
      if (evtNext(results, eventsPerCall, handles, nextTimeoutMs, 0, returned) === 0) {
        const code = lastCode()
        if (endsOfResults.includes(code)) return
        throw new ToolFailure('COMMAND_FAILED', new Win32Error('EvtNext', code).message)
      }
      const batch = Array.from({ length: returned.readUInt32LE() }, (_, index) => handles.readBigInt64LE(index * 8))
      try {
        for (const event of batch) yield describe(event, publishers)
      } finally {
        for (const event of batch) evtClose(event)
      }
    }
  } finally {
    for (const publisher of publishers.values()) evtClose(publisher)
    evtClose(results)
  }
}

function describe(event: Handle, publishers: Map<string, Handle>): EventXml & { message: string } {
  const parsed = parseEvent(renderXml(event))
  let publisher = publishers.get(parsed.provider)
  if (publisher === undefined) {
    publisher = evtOpenPublisher(0, wide(parsed.provider), null, 0, 0)
    publishers.set(parsed.provider, publisher)
  }
  // A program that was removed took its texts with it: the data of the event remain.
  const message = Number(publisher) === 0 ? undefined : formatMessage(publisher, event)
  return { ...parsed, message: message ?? Object.values(parsed.data).join(' ') }
}

function renderXml(event: Handle): string {
  const used = u32Buffer()
  evtRender(0, event, asXml, 0, null, used, u32Buffer())
  const buffer = Buffer.alloc(Math.max(2, used.readUInt32LE()))
  if (evtRender(0, event, asXml, buffer.length, buffer, used, u32Buffer()) === 0) throw lastError('EvtRender')
  return textAt(buffer, 0)
}

function formatMessage(publisher: Handle, event: Handle): string | undefined {
  const used = u32Buffer()
  evtFormatMessage(publisher, event, 0, 0, null, messageFormat, 0, null, used)
  const chars = used.readUInt32LE()
  if (chars === 0) return undefined
  const buffer = Buffer.alloc(chars * 2)
  if (evtFormatMessage(publisher, event, 0, 0, null, messageFormat, chars, buffer, used) === 0) return undefined
  return textAt(buffer, 0)
}
