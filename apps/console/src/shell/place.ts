import { useNavigate, useSearch } from '@tanstack/react-router'

/** The organisation and site to which the screens are narrowed; part of every address below the shell. */
export interface Place {
  readonly org?: string | undefined
  readonly site?: string | undefined
}

export function usePlace(): Place {
  const { org, site } = useSearch({ strict: false })
  return { org, site }
}

/** Narrows the screens to another organisation or site, or to none. */
export function useChoosePlace(): (place: Place) => void {
  const navigate = useNavigate()
  return ({ org, site }) =>
    // Filters of the screen belong to the place before.
    void navigate({ to: '.', search: { org, site } })
}
