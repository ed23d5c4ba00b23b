// The tenants of the demonstration: one provider, its customers, their sites.

export interface Place {
  readonly organization: string
  readonly slug: string
  readonly site: string
  /** Suffix of the names of machines there. */
  readonly code: string
  /** The number of machines, relative to the others. */
  readonly weight: number
}

export const provider = { name: 'Northwind IT', slug: 'demo-northwind' } as const

const organizations: readonly (readonly [
  name: string,
  sites: readonly (readonly [site: string, code: string, weight: number])[],
])[] = [
  [
    'Alder & Finch Legal',
    [
      ['Hamburg', 'ham', 6],
      ['Bremen', 'bre', 2],
    ],
  ],
  [
    'Brightwater Clinics',
    [
      ['Main hospital', 'bwm', 12],
      ['Day clinic', 'bwd', 5],
      ['Laboratory', 'bwl', 3],
    ],
  ],
  [
    'Cobalt Manufacturing',
    [
      ['Plant 1', 'cp1', 14],
      ['Plant 2', 'cp2', 9],
      ['Head office', 'cho', 6],
    ],
  ],
  [
    'Drumlin Logistics',
    [
      ['Depot North', 'ddn', 7],
      ['Depot South', 'dds', 7],
      ['Control room', 'dcr', 2],
    ],
  ],
  [
    'Elmwood Schools',
    [
      ['Upper school', 'eus', 8],
      ['Lower school', 'els', 5],
    ],
  ],
  ['Fathom Architects', [['Studio', 'fst', 3]]],
  [
    'Greenline Energy',
    [
      ['Operations', 'gop', 8],
      ['Wind park', 'gwp', 4],
    ],
  ],
  ['Northwind internal', [['Office', 'nwo', 2]]],
]

export const places: readonly Place[] = organizations.flatMap(([organization, sites]) =>
  sites.map(([site, code, weight]) => ({
    organization,
    slug: `demo-${organization.toLowerCase().replaceAll(/[^a-z]+/g, '-')}`,
    site,
    code,
    weight,
  })),
)

const turns = places.flatMap((place) => Array.from({ length: place.weight }, () => place))

/** The place of a machine: places alternate by weight. */
export function placeOf(machine: number): Place {
  // A step that is coprime to the number of turns spreads consecutive machines over the places.
  const place = turns[(machine * 37) % turns.length]
  if (place === undefined) throw new Error('there are no places')
  return place
}
