// What the addresses of the screens say. Pages and routes read it, so it imports neither.
import * as read from '../../../search.ts'

export const statuses = ['online', 'offline', 'updating', 'provisioned', 'quarantined', 'decommissioned'] as const

export const systems = ['linux', 'windows', 'macos'] as const

/** The days after which a list can ask for devices that were not seen. */
export const unseenDays = ['1', '7', '30', '90'] as const

/** The orders in which the server lists devices. */
export const serverSorts = ['hostname', 'lastSeen', 'enrolled'] as const

export const devicesSearch = read.searchOf({
  q: read.text,
  status: read.someOf(...statuses),
  /** Operating systems. */
  os: read.someOf(...systems),
  /** Not seen for so many days. */
  unseen: read.oneOf(...unseenDays),
  /** An order of the server, or the column that a short list is sorted by here. */
  sort: read.text,
  dir: read.oneOf('asc', 'desc'),
  group: read.id,
  tags: read.texts,
  /** A filter of the filter language. */
  filter: read.tree,
  /** The commands that were sent to many, whose progress is shown. */
  batch: read.id,
  /** The columns shown, where they are not the usual ones. */
  cols: read.text,
})
export type DevicesSearch = ReturnType<typeof devicesSearch>

export const deviceSearch = read.searchOf({
  /** Areas declare the tabs. An unknown one counts as the first. */
  tab: read.text,
  /** What the page asks about, such as a restart. */
  ask: read.text,
  hours: read.oneOf('1', '6', '24', '168'),
  /** The range of the charts, in seconds since 1970, where it is not one of the usual ones. */
  from: read.whole,
  to: read.whole,
  page: read.whole,
  command: read.id,
  q: read.text,
  sort: read.text,
  dir: read.oneOf('asc', 'desc'),
  /** What a list is narrowed to, and which of its rows is open. */
  state: read.text,
  kind: read.text,
  item: read.text,
  path: read.path,
  log: read.text,
  level: read.oneOf('emergency', 'alert', 'critical', 'error', 'warning', 'notice', 'info', 'debug'),
})
export type DeviceSearch = ReturnType<typeof deviceSearch>
