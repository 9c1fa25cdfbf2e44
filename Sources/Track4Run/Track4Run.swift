// Track4Run: third parties organise runs, people join them, anyone watches. So far: the public list
// of runs from its own tables (Runs) and the service around it. Runners' positions and health data
// will reach it through Data4Help's single requests only.
