extension ChronicDisease {
  /// The name shown to people.
  package var name: LocalizedName {
    switch self {
    case .tuberculosis: LocalizedName("Tubercolosi", "Tuberculosis")
    case .hiv: LocalizedName("HIV", "HIV")
    case .cancer: LocalizedName("Tumore", "Cancer")
    case .anaemia: LocalizedName("Anemia", "Anaemia")
    case .thyroidDisease: LocalizedName("Malattia della tiroide", "Thyroid disease")
    case .diabetes: LocalizedName("Diabete", "Diabetes")
    case .obesity: LocalizedName("Obesità", "Obesity")
    case .hypercholesterolaemia: LocalizedName("Ipercolesterolemia", "High cholesterol")
    case .dementia: LocalizedName("Demenza", "Dementia")
    case .schizophrenia: LocalizedName("Schizofrenia", "Schizophrenia")
    case .depression: LocalizedName("Depressione", "Depression")
    case .anxiety: LocalizedName("Disturbo d'ansia", "Anxiety disorder")
    case .parkinson: LocalizedName("Malattia di Parkinson", "Parkinson's disease")
    case .multipleSclerosis: LocalizedName("Sclerosi multipla", "Multiple sclerosis")
    case .epilepsy: LocalizedName("Epilessia", "Epilepsy")
    case .migraine: LocalizedName("Emicrania", "Migraine")
    case .sleepApnoea: LocalizedName("Apnee nel sonno", "Sleep apnoea")
    case .glaucoma: LocalizedName("Glaucoma", "Glaucoma")
    case .hypertension: LocalizedName("Ipertensione", "High blood pressure")
    case .ischaemicHeartDisease: LocalizedName("Cardiopatia ischemica", "Ischaemic heart disease")
    case .atrialFibrillation: LocalizedName("Fibrillazione atriale", "Atrial fibrillation")
    case .heartFailure: LocalizedName("Scompenso cardiaco", "Heart failure")
    case .stroke: LocalizedName("Ictus", "Stroke")
    case .peripheralArteryDisease:
      LocalizedName(
        "Arteriopatia periferica", "Peripheral artery disease")
    case .copd:
      LocalizedName(
        "Broncopneumopatia cronica ostruttiva (BPCO)",
        "Chronic obstructive pulmonary disease (COPD)")
    case .asthma: LocalizedName("Asma", "Asthma")
    case .gastricReflux: LocalizedName("Reflusso gastroesofageo", "Gastro-oesophageal reflux")
    case .crohnsDisease: LocalizedName("Malattia di Crohn", "Crohn's disease")
    case .ulcerativeColitis: LocalizedName("Colite ulcerosa", "Ulcerative colitis")
    case .coeliacDisease: LocalizedName("Celiachia", "Coeliac disease")
    case .liverCirrhosis: LocalizedName("Cirrosi epatica", "Cirrhosis of the liver")
    case .psoriasis: LocalizedName("Psoriasi", "Psoriasis")
    case .rheumatoidArthritis: LocalizedName("Artrite reumatoide", "Rheumatoid arthritis")
    case .lupus: LocalizedName("Lupus eritematoso sistemico", "Systemic lupus erythematosus")
    case .osteoarthritis: LocalizedName("Artrosi", "Osteoarthritis")
    case .osteoporosis: LocalizedName("Osteoporosi", "Osteoporosis")
    case .kidneyDisease: LocalizedName("Malattia renale cronica", "Chronic kidney disease")
    case .endometriosis: LocalizedName("Endometriosi", "Endometriosis")
    }
  }
}
