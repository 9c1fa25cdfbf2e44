// Statistics of groups of anonymous people: days are counted in columns as they close, cohorts are
// searched, releases get noise and are priced, and a person is compared with the own age band.
